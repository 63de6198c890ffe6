const defaultColumns = 80;

/**
 * The width to write for; also when a terminal does not know its own. What is no terminal, a pipe or a file, has no end:
 * whoever searches it for a name must find the whole of it.
 */
export function screenColumns(terminal: { readonly columns: number } | undefined): number {
  if (terminal === undefined) return Infinity;
  return terminal.columns > 0 ? terminal.columns : defaultColumns;
}
