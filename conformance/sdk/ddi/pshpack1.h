// Packs structures to 1 bytes until poppack.h.
#pragma pack(push, 1)
