// Packs structures to 4 bytes until poppack.h.
#pragma pack(push, 4)
