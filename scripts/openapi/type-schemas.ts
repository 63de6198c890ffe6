import { fileURLToPath } from 'node:url';

import ts from 'typescript';

/** JSON Schema of draft 2020-12, as OpenAPI 3.1 has it. */
export type Schema = Readonly<Record<string, unknown>>;

const root = fileURLToPath(new URL('../../', import.meta.url));

/**
 * Makes schemas of what `toJson` writes of values of the project's types. Types with a name become named schemas, others are written
 * where they are used. Objects are closed: what has no declared field has none in JSON.
 */
export class TypeSchemas {
  readonly #checker: ts.TypeChecker;
  readonly #program: ts.Program;
  readonly #named = new Map<string, { readonly type: ts.Type; schema: Schema }>();

  constructor(files: readonly string[]) {
    const { config } = ts.readConfigFile(`${root}tsconfig.json`, (path) => ts.sys.readFile(path)) as {
      config: unknown;
    };
    const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
    this.#program = ts.createProgram(
      files.map((file) => root + file),
      options,
    );
    this.#checker = this.#program.getTypeChecker();
  }

  /** Those that others refer to as `#/components/schemas/NAME`, by name. */
  get named(): Readonly<Record<string, Schema>> {
    const byName = [...this.#named].sort(([a], [b]) => (a < b ? -1 : 1));
    return Object.fromEntries(byName.map(([name, { schema }]) => [name, schema]));
  }

  /** Of a type that the file exports. */
  of(file: string, name: string): Schema {
    return this.#schema(this.#exported(file, name));
  }

  /** Of each field of an interface that the file exports; each is an object, and is written where it is used. */
  objectsOf(file: string, name: string): Readonly<Record<string, Schema>> {
    const fields = this.#checker.getPropertiesOfType(this.#exported(file, name));
    return Object.fromEntries(
      fields.map((field) => [field.name, this.#objectSchema(this.#checker.getTypeOfSymbol(field))]),
    );
  }

  #exported(file: string, name: string): ts.Type {
    const source = this.#program.getSourceFile(root + file);
    const module = source && this.#checker.getSymbolAtLocation(source);
    const found = module && this.#checker.getExportsOfModule(module).find((symbol) => symbol.name === name);
    if (found === undefined) throw new Error(`${file} exports no ${name}`);
    return this.#checker.getDeclaredTypeOfSymbol(found);
  }

  #schema(type: ts.Type): Schema {
    const simple = simpleSchema(type);
    if (simple !== undefined) return simple;
    const name = nameOf(type);
    return name === undefined ? this.#unnamed(type) : this.#reference(name, type);
  }

  #unnamed(type: ts.Type): Schema {
    if (type.isUnion()) return this.#unionSchema(type);
    if (this.#checker.isArrayType(type) || this.#checker.isTupleType(type)) {
      const [item, ...others] = this.#checker.getTypeArguments(type as ts.TypeReference);
      if (item === undefined || others.length > 0) throw this.#unknown(type);
      return { type: 'array', items: this.#schema(item) };
    }
    if ((type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) === 0) throw this.#unknown(type);
    return this.#objectSchema(type);
  }

  #reference(name: string, type: ts.Type): Schema {
    const known = this.#named.get(name);
    if (known !== undefined && known.type !== type) throw new Error(`there are two types of the name ${name}`);
    if (known === undefined) {
      const entry = { type, schema: {} };
      this.#named.set(name, entry);
      const description = this.#comment(type.aliasSymbol ?? type.getSymbol());
      entry.schema = { ...(description !== '' && { description }), ...this.#unnamed(type) };
    }
    return { $ref: `#/components/schemas/${name}` };
  }

  #unionSchema(type: ts.UnionType): Schema {
    const types = type.types.filter((one) => (one.flags & ts.TypeFlags.Undefined) === 0);
    const literals = types.flatMap((one) => (one.isStringLiteral() ? [one.value] : []));
    const isBoolean = types.some((one) => (one.flags & ts.TypeFlags.BooleanLiteral) !== 0);
    const others = types.filter((one) => !one.isStringLiteral() && (one.flags & ts.TypeFlags.BooleanLiteral) === 0);
    const schemas = [
      ...(literals.length > 0 ? [{ type: 'string', enum: literals.sort() }] : []),
      ...(isBoolean ? [booleanSchema(types)] : []),
      ...others.map((one) => this.#schema(one)),
    ];
    const [only, ...more] = schemas;
    if (only === undefined) throw this.#unknown(type);
    return more.length === 0 ? only : { anyOf: schemas };
  }

  #objectSchema(type: ts.Type): Schema {
    const ofAnyName = this.#checker.getIndexTypeOfType(type, ts.IndexKind.String);
    const fields = this.#checker.getPropertiesOfType(type).filter((field) => !this.#isAbsent(field));
    const required = fields.filter((field) => !this.#isOptional(field)).map(({ name }) => name);
    return {
      type: 'object',
      ...(fields.length > 0 && {
        properties: Object.fromEntries(fields.map((field) => [field.name, this.#fieldSchema(field)])),
      }),
      ...(required.length > 0 && { required }),
      additionalProperties: ofAnyName === undefined ? false : this.#schema(ofAnyName),
    };
  }

  /** A field that a member of a union does not have. */
  #isAbsent(field: ts.Symbol): boolean {
    const type = this.#checker.getNonNullableType(this.#checker.getTypeOfSymbol(field));
    return (type.flags & ts.TypeFlags.Never) !== 0;
  }

  #isOptional(field: ts.Symbol): boolean {
    const type = this.#checker.getTypeOfSymbol(field);
    const mayLack = type.isUnion() && type.types.some((one) => (one.flags & ts.TypeFlags.Undefined) !== 0);
    return mayLack || (field.flags & ts.SymbolFlags.Optional) !== 0;
  }

  #fieldSchema(field: ts.Symbol): Schema {
    const type = this.#checker.getNonNullableType(this.#checker.getTypeOfSymbol(field));
    const schema = (type.flags & ts.TypeFlags.Number) === 0 ? this.#schema(type) : numberSchema(field.name);
    const description = this.#comment(field);
    return description === '' ? schema : { description, ...schema };
  }

  #comment(symbol: ts.Symbol | undefined): string {
    const text = ts.displayPartsToString(symbol?.getDocumentationComment(this.#checker));
    return text.replaceAll(/\{@link (\w+)\}/g, '$1').replaceAll(/\s+/g, ' ');
  }

  #unknown(type: ts.Type): Error {
    return new Error(`no schema for the type ${this.#checker.typeToString(type)}`);
  }
}

/** A value that is a number alone: one in a list, or of any name. */
function simpleSchema(type: ts.Type): Schema | undefined {
  if ((type.flags & ts.TypeFlags.String) !== 0) return { type: 'string' };
  if (type.isStringLiteral()) return { type: 'string', const: type.value };
  if ((type.flags & ts.TypeFlags.Number) !== 0) return { type: 'number' };
  return (type.flags & ts.TypeFlags.BooleanLiteral) === 0 ? undefined : booleanSchema([type]);
}

function booleanSchema(types: readonly ts.Type[]): Schema {
  const values = types.flatMap((one) => ((one.flags & ts.TypeFlags.BooleanLiteral) === 0 ? [] : [isTrue(one)]));
  const [value, ...others] = new Set(values);
  return { type: 'boolean', ...(others.length === 0 && { const: value }) };
}

function isTrue(type: ts.Type): boolean {
  return (type as ts.Type & { readonly intrinsicName?: string }).intrinsicName === 'true';
}

/** Names have units. A ratio to a limit of 0 has no number in JSON. */
function numberSchema(name: string): Schema {
  if (/ratio$/i.test(name)) return { anyOf: [{ type: 'number', minimum: 0 }, { const: '+Inf' }] };
  return /Count$|^limit$/.test(name) ? { type: 'integer', minimum: 0 } : { type: 'number' };
}

/** Undefined for what has no name of its own, or one that others of other arguments have too. */
function nameOf(type: ts.Type): string | undefined {
  const { aliasSymbol, aliasTypeArguments = [] } = type;
  if (aliasSymbol !== undefined) return aliasTypeArguments.length === 0 ? aliasSymbol.name : undefined;
  const symbol = type.getSymbol();
  const isInterface = symbol !== undefined && (symbol.flags & ts.SymbolFlags.Interface) !== 0;
  const { typeArguments = [] } = type as Partial<ts.TypeReference>;
  return isInterface && typeArguments.length === 0 ? symbol.name : undefined;
}
