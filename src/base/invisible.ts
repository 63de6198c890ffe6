/**
 * Control, format and separator characters, line feeds included, as `\uXXXX`: a terminal may obey them or hide what
 * stands beside them.
 */
export function escapeInvisible(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, (character) =>
    Array.from({ length: character.length }, (_, index) => escapeCodeUnit(character.charCodeAt(index))).join(''),
  );
}

function escapeCodeUnit(codeUnit: number): string {
  return `\\u${codeUnit.toString(16).padStart(4, '0')}`;
}
