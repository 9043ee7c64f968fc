"""What the chunks of a recording may hold: the writer begins another one, the reader takes no more.

A few bytes can unpack to more than any memory holds, or to millions of messages without a content.
Every message also has an entry in an index behind its chunk, and indexes are not compressed: a file
has no more messages than its length allows.
"""

LARGE = 4_000_000  # bytes of records that wait for a commit; chosen: a second of a large cell
LARGEST = 64_000_000  # bytes of a record, as it lies there and unpacked; a chunk of ours has 30 MB
MOST_RECORDS = 100_000  # of a chunk; chosen: as many as fit, if each has 40 bytes
INDEX_ENTRY = 16  # bytes that a message has in its index: its time and its place
