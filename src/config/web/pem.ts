/** Certificates and keys in a text, as Go finds them: a byte order mark before a block, for one, hides it. */

/** https://pkg.go.dev/encoding/pem#Decode */
const block = /^-----BEGIN ([A-Z0-9 ]+)-----[ \t\r]*\n(?:(?!-----)[^\n]*\n)*-----END \1-----/gm;

/** Each as PEM, in the order of the text. */
export function certificatesOf(text: string): readonly string[] {
  return blocksOf(text, (label) => label === 'CERTIFICATE');
}

/** The first one, as PEM. https://pkg.go.dev/crypto/tls#X509KeyPair */
export function privateKeyOf(text: string): string | undefined {
  return blocksOf(text, (label) => label === 'PRIVATE KEY' || label.endsWith(' PRIVATE KEY'))[0];
}

function blocksOf(text: string, isWanted: (label: string) => boolean): readonly string[] {
  return [...text.matchAll(block)].flatMap(([pem, label = '']) => (isWanted(label) ? [`${pem}\n`] : []));
}
