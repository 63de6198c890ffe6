/** Names in a query, found without a parser, which suffices for the queries of the dashboards. */

const words = new Set([
  'and',
  'or',
  'unless',
  'by',
  'without',
  'on',
  'ignoring',
  'group_left',
  'group_right',
  'offset',
  'bool',
]);

export interface QueryNames {
  readonly metrics: readonly string[];
  readonly labels: readonly string[];
}

export function namesIn(query: string): QueryNames {
  const labels: string[] = [];
  const rest = query
    .replaceAll(/"[^"]*"/g, '""')
    .replaceAll(/\{([^}]*)\}/g, (_match, matchers: string) => {
      labels.push(...[...matchers.matchAll(/(?<![$\w])(\w+)\s*(?:=|!)/g)].map(([, label = '']) => label));
      return ' ';
    })
    .replaceAll(/\b(?:by|on|group_left|group_right) \(([^)]*)\)/g, (_match, list: string) => {
      labels.push(
        ...list
          .split(',')
          .map((label) => label.trim())
          .filter((label) => label !== '' && !label.startsWith('$')),
      );
      return ' ';
    })
    .replaceAll(/\[[^\]]*\]/g, ' ')
    .replaceAll(/\boffset \d+[smhd]/g, ' ')
    .replaceAll(/\$\w+/g, ' ');
  const metrics = [...rest.matchAll(/[a-zA-Z_][\w:]*(?![\w:]*\s*\()/g)]
    .map(([name]) => name)
    .filter((name) => !words.has(name));
  return { metrics, labels };
}
