// Packs structures to 2 bytes until poppack.h.
#pragma pack(push, 2)
