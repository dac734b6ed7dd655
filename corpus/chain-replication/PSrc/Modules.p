module Chain = { Server, Master };
module ChainClients = { ChainClient };
