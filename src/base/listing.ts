/** `a, b, c and 4 more`. */
export function listing(items: readonly string[], maxCount: number): string {
  const shown = items.slice(0, maxCount).join(', ');
  const moreCount = items.length - maxCount;
  return moreCount > 0 ? `${shown} and ${moreCount} more` : shown;
}
