/* Routing entries of node005 in Lab <8> & 'co', "quoted" $(x) (8 nodes). C99. */
#ifndef FNN_ENTRIES_H
#define FNN_ENTRIES_H

#include <stdint.h>

#define FNN_PES 8
#define FNN_SELF 5

/* One entry per destination, 0 if it is unreachable. Taking turns between NICs rewrites entries. */
static uint32_t fnn_entries[FNN_PES] = {
    [0] = 0x00024925u, [1] = 0x01225226u, [2] = 0x00060100u, [3] = 0x00049249u, [4] = 0x00024026u,
    [6] = 0x00000001u, [7] = 0x00000001u,
};

/* Bits 0-1 of an entry are its mode: 1, 2 and 3 are 3, 4 and 5 fields of 6 bits from bit 2 on; 0 is one field, bit 8 set,
   and the number of a forwarding node from bit 16 on. A field is the own NIC in its bits 3-5 and the NIC of the next node in
   its bits 0-2. The field from bit 2 on is used next. */

/* True if the destination is reachable. */
#define FNN_REACHES(entry) ((entry) != 0)
/* True if the next node forwards, and is not the destination. */
#define FNN_IS_THROUGH(entry) ((entry) != 0 && ((entry) & 3u) == 0)
/* The node to send to. */
#define FNN_NEXT_PE(entry, dest) (FNN_IS_THROUGH(entry) ? (entry) >> 16 : (uint32_t)(dest))
/* The own NIC to send from, and the NIC of the next node. */
#define FNN_ENTRY_OWN_NI(entry) ((entry) >> 5 & 7u)
#define FNN_ENTRY_OTHER_NI(entry) ((entry) >> 2 & 7u)
/* Number of fields, which take turns. */
#define FNN_FIELDS(entry) (((entry) & 3u) ? ((entry) & 3u) + 2 : 1u)
/* The entry after its first field was used: that field moves to the top. */
#define FNN_TURNED(entry) \
    (((entry) & 3u) == 0 ? (entry) \
                         : (((entry) >> 8 | ((entry) >> 2 & 63u) << (6 * FNN_FIELDS(entry) - 6)) << 2 | ((entry) & 3u)))

#endif
