const defaultColumns = 80;

/** The width to write for; also when a terminal does not know its own. */
export function screenColumns(terminal: { readonly columns: number } | undefined): number {
  return terminal !== undefined && terminal.columns > 0 ? terminal.columns : defaultColumns;
}
