/**
 * A plugin of Prettier that writes markdown tables without padding: a changed cell is one changed line. Prettier's own printer
 * pads every row to the width of the widest.
 */
import { doc } from 'prettier';
import { parsers, printers as ofPrettier } from 'prettier/plugins/markdown';

// Prettier prefers the printer of the plugin whose parser it takes.
export { parsers };

const { hardline, join } = doc.builders;

const delimiters = { left: ':--', center: ':-:', right: '--:' };

export const printers = {
  mdast: {
    ...ofPrettier.mdast,
    print(path, options, print) {
      if (path.node.type !== 'table') return ofPrettier.mdast.print(path, options, print);
      const [header, ...rows] = path.map(() => path.map(print, 'children'), 'children');
      const delimiter = header.map((_cell, column) => delimiters[path.node.align[column]] ?? '---');
      const lines = [header, delimiter, ...rows].map((cells) => ['| ', join(' | ', cells), ' |']);
      return join(hardline, lines);
    },
  },
};
