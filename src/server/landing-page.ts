export interface Link {
  readonly path: string;
  readonly text: string;
}

/** A page without style and script, so that nothing of either needs to be allowed. */
export function landingPage(version: string, links: readonly Link[]): string {
  const items = links.map(({ path, text }) => `<li><a href="${escapeHtml(path)}">${escapeHtml(text)}</a></li>`);
  return `<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>Ephemeral Storage Exporter</title></head>
<body>
<h1>Ephemeral Storage Exporter</h1>
<p>Version ${escapeHtml(version)}</p>
<ul>
${items.join('\n')}
</ul>
</body>
</html>
`;
}

const htmlEscapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => htmlEscapes[character] ?? '');
}
