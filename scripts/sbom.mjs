/** The bill of materials of a bundle, in the format CycloneDX. https://cyclonedx.org/docs/1.6/json/ */
import { Buffer } from 'node:buffer';

/**
 * Lists a program and its libraries, packages as `bundledPackages` returns them. The same packages always have the same bill, in
 * which nothing depends on time or place.
 */
export function cycloneDx(program, libraries) {
  const all = [program, ...libraries];
  const references = new Map(all.map((found) => [found.folder, purlOf(found)]));
  // A version that is installed in two folders is one component.
  const components = new Map(libraries.map((library) => [purlOf(library), componentOf('library', library)]));
  const dependencies = [purlOf(program), ...components.keys()].sort().map((ref) => {
    const folders = all.filter((found) => purlOf(found) === ref).flatMap(({ dependsOn }) => dependsOn);
    return { ref, dependsOn: [...new Set(folders.map((folder) => references.get(folder)))].sort() };
  });
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: componentOf('application', program) },
    components: [...components.keys()].sort().map((purl) => components.get(purl)),
    dependencies,
  };
}

/** https://github.com/package-url/purl-spec */
function purlOf({ name, version }) {
  return `pkg:npm/${name.replace('@', '%40')}@${encodeURIComponent(version)}`;
}

function componentOf(type, library) {
  const [, group, name] = /^(?:(@[^/]+)\/)?(.+)$/.exec(library.name);
  const purl = purlOf(library);
  return {
    type,
    'bom-ref': purl,
    ...(group === undefined ? {} : { group }),
    name,
    version: library.version,
    ...(library.integrity === undefined ? {} : { hashes: library.integrity.split(' ').map(hashOf) }),
    licenses: [library.license.includes(' ') ? { expression: library.license } : { license: { id: library.license } }],
    purl,
  };
}

/** https://www.w3.org/TR/SRI/: `sha512-` and the hash in base64. */
function hashOf(integrity) {
  const [, bits, base64] = /^sha(\d+)-(.+)$/.exec(integrity);
  return { alg: `SHA-${bits}`, content: Buffer.from(base64, 'base64').toString('hex') };
}
