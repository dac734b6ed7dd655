// What the machines of the protocol say to each other. Every cache has three channels with the host: requests, grants
// and invalidations, and acknowledgements.

// Cache to host: leave to read, leave to write.
event eReqShare: Cache;
event eReqExclusive: Cache;

// Host to cache: give the line back; here it is, with what it holds.
event eInvalidate;
event eGrantShare: int;
event eGrantExclusive: int;

// Cache to host: given back, with what it held.
event eInvalidateAck: tReturn;

// Processor to cache and back.
event eLoad;
event eStore: int;
event eLoaded: int;
event eStored;

type tReturn = (cache: Cache, held: Permission, value: int);

// What a cache may do with the line.
enum Permission { NOTHING, READ, WRITE }

// For specs: the permission of a cache changes, a load or a store happens.
event ePermission: (cache: Cache, now: Permission);
event eRead: (cache: Cache, value: int);
event eWrote: (cache: Cache, value: int);
