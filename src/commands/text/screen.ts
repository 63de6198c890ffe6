const defaultColumns = 80;

/**
 * The width to write for; also when a terminal does not know its own. A pipe or a file has no end: a search for a name
 * there must find the whole of it.
 */
export function screenColumns(terminal: { readonly columns: number } | undefined): number {
  if (terminal === undefined) return Infinity;
  return terminal.columns > 0 ? terminal.columns : defaultColumns;
}
