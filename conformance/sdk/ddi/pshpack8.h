// Packs structures to 8 bytes until poppack.h.
#pragma pack(push, 8)
