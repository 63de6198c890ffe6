/** The status as JSON. */
export const statusPath = '/api/v1/status';

/** The evictions that were seen, as JSON. */
export const evictionsPath = '/api/v1/evictions';
