import { z } from 'zod';

/** The part of the schema of CycloneDX 1.6 that a bill of materials of this project uses, which allows no other fields either. */
const component = z.strictObject({
  type: z.enum(['application', 'library']),
  'bom-ref': z.string().min(1),
  group: z.string().startsWith('@').optional(),
  name: z.string().regex(/^[\w.-]+$/),
  version: z.string().regex(/^\d+\.\d+\.\d+/),
  hashes: z
    .array(z.strictObject({ alg: z.literal('SHA-512'), content: z.string().regex(/^[0-9a-f]{128}$/) }))
    .optional(),
  licenses: z.union([
    z.tuple([z.strictObject({ expression: z.string().regex(/ (?:OR|AND|WITH) /) })]),
    // Those of the list of SPDX that occur: another one is to be read before the library is used.
    z.tuple([
      z.strictObject({
        license: z.strictObject({
          id: z.enum(['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT', 'Unlicense']),
        }),
      }),
    ]),
  ]),
  purl: z.string().regex(/^pkg:npm\/(?:%40[\w.-]+\/)?[\w.-]+@[\w.%-]+$/),
});

const schema = z.strictObject({
  $schema: z.literal('http://cyclonedx.org/schema/bom-1.6.schema.json'),
  bomFormat: z.literal('CycloneDX'),
  specVersion: z.literal('1.6'),
  version: z.int().min(1),
  metadata: z.strictObject({ component }),
  components: z.array(component),
  dependencies: z.array(z.strictObject({ ref: z.string(), dependsOn: z.array(z.string()) })),
});

export type BillOfMaterials = z.infer<typeof schema>;

/** Reads a bill of materials; throws when it is not valid, names anything twice, or a reference leads nowhere. */
export function parseBill(text: string): BillOfMaterials {
  const bill = schema.parse(JSON.parse(text));
  const references = [bill.metadata.component, ...bill.components].map((found) => found['bom-ref']);
  const named = bill.dependencies.map(({ ref }) => ref);
  if (new Set(references).size !== references.length) throw new Error('a reference occurs twice');
  if (JSON.stringify([...named].sort()) !== JSON.stringify([...references].sort()))
    throw new Error('dependencies are not those of each component once');
  const unknown = bill.dependencies.flatMap(({ dependsOn }) => dependsOn).filter((ref) => !references.includes(ref));
  if (unknown.length > 0) throw new Error(`unknown references: ${unknown.join(', ')}`);
  return bill;
}

/** The package with its version, such as `@scope/name@1.0.0`. */
export const packageOf = ({ group, name, version }: BillOfMaterials['components'][number]): string =>
  `${group === undefined ? '' : `${group}/`}${name}@${version}`;
