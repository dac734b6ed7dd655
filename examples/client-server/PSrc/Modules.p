module Clients = { Client };
module Server = { Bank };
