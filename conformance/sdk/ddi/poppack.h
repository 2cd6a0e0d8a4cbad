// Ends the packing that a pshpack header began.
#pragma pack(pop)
