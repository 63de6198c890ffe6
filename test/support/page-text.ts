/** The words of a section of a page, without its markup and the meanings of words. */
export function sectionText(page: string, id: string): string {
  const section = new RegExp(`<(section|dl) id="${id}"[^]*?</\\1>`).exec(page)?.[0] ?? '';
  return section
    .replaceAll(/<title>[^<]*<\/title>/g, '')
    .replaceAll(/<span class="tip"[^>]*>[^<]*<\/span>/g, '')
    .replaceAll(/<\/?dfn[^>]*>/g, '')
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
}
