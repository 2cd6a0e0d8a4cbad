// Packs structures to 16 bytes until poppack.h.
#pragma pack(push, 16)
