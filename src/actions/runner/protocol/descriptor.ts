import { create, type DescFile, toBinary } from '@bufbuild/protobuf'
import { fileDesc } from '@bufbuild/protobuf/codegenv2'
import { base64Encode } from '@bufbuild/protobuf/wire'
import {
  type DescriptorProto,
  DescriptorProtoSchema,
  EnumDescriptorProtoSchema,
  type FieldDescriptorProto,
  FieldDescriptorProto_Label,
  FieldDescriptorProto_Type,
  FieldDescriptorProtoSchema,
  FileDescriptorProtoSchema,
  ServiceDescriptorProtoSchema,
} from '@bufbuild/protobuf/wkt'

/** Builds the descriptor of a protobuf file (descriptor.proto) from a short notation, so that no compiler is needed. */

/**
 * `2: 'token string'`, `3: 'labels repeated string'`, `4: 'context optional .google.protobuf.Struct'`, `5: 'vars map'`.
 */
type Fields = Readonly<Record<number, string>>

/** The content of one file; the order of messages and enums is their index. */
interface Outline {
  /** `runner.v1` */
  package: string
  imports: readonly DescFile[]
  messages: Readonly<Record<string, Fields>>
  /** Values from 0. */
  enums: Readonly<Record<string, readonly string[]>>
  /** A service with unary methods: `Name` takes a `NameRequest` and returns a `NameResponse`. */
  service: { name: string; methods: readonly string[] }
}

const scalars: Readonly<Record<string, FieldDescriptorProto_Type>> = {
  string: FieldDescriptorProto_Type.STRING,
  bytes: FieldDescriptorProto_Type.BYTES,
  bool: FieldDescriptorProto_Type.BOOL,
  int64: FieldDescriptorProto_Type.INT64,
}

/** The file, ready for `messageDesc`, `enumDesc` and `serviceDesc`. */
export function describe(outline: Outline): DescFile {
  const file = create(FileDescriptorProtoSchema, {
    name: `${outline.package.replaceAll('.', '/')}/messages.proto`,
    package: outline.package,
    syntax: 'proto3',
    messageType: Object.entries(outline.messages).map(([name, fields]) => message(outline, name, fields)),
    enumType: Object.entries(outline.enums).map(([name, values]) =>
      create(EnumDescriptorProtoSchema, {
        name,
        value: values.map((value, number) => ({ name: value, number })),
      }),
    ),
    service: [service(outline)],
  })
  return fileDesc(base64Encode(toBinary(FileDescriptorProtoSchema, file)), [...outline.imports])
}

function service({ package: packageName, service: { name, methods } }: Outline) {
  return create(ServiceDescriptorProtoSchema, {
    name,
    method: methods.map((method) => ({
      name: method,
      inputType: `.${packageName}.${method}Request`,
      outputType: `.${packageName}.${method}Response`,
    })),
  })
}

function message(outline: Outline, name: string, fields: Fields): DescriptorProto {
  const described = create(DescriptorProtoSchema, { name })
  for (const [number, notation] of Object.entries(fields)) {
    const [field = '', ...rest] = notation.split(' ')
    if (rest[0] === 'map') {
      const entry = `${field.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())}Entry`
      described.nestedType.push(mapEntry(outline, entry, rest[1] ?? 'string'))
      described.field.push(fieldOf(field, Number(number), `.${outline.package}.${name}.${entry}`, true))
    } else if (rest[0] === 'optional') {
      // A field with presence in proto3 is a oneof with one member, whose name begins with an underscore.
      const presence = { oneofIndex: described.oneofDecl.length, proto3Optional: true }
      described.oneofDecl.push({ $typeName: 'google.protobuf.OneofDescriptorProto', name: `_${field}` })
      described.field.push(
        Object.assign(fieldOf(field, Number(number), typeOf(outline, rest[1]), false), presence),
      )
    } else {
      const repeated = rest[0] === 'repeated'
      described.field.push(
        fieldOf(field, Number(number), typeOf(outline, repeated ? rest[1] : rest[0]), repeated),
      )
    }
  }
  return described
}

/** A map is a repeated message of key and value. */
function mapEntry(outline: Outline, name: string, value: string): DescriptorProto {
  return create(DescriptorProtoSchema, {
    name,
    field: [fieldOf('key', 1, 'string', false), fieldOf('value', 2, typeOf(outline, value), false)],
    options: { mapEntry: true },
  })
}

/** Returns a scalar unchanged; a name without a package is one of this file. */
function typeOf({ package: packageName }: Outline, name = ''): string {
  return name in scalars || name.startsWith('.') ? name : `.${packageName}.${name}`
}

function fieldOf(name: string, number: number, type: string, repeated: boolean): FieldDescriptorProto {
  const scalar = scalars[type]
  const label = repeated ? FieldDescriptorProto_Label.REPEATED : FieldDescriptorProto_Label.OPTIONAL
  const field = create(FieldDescriptorProtoSchema, { name, number, label })
  if (scalar !== undefined) return Object.assign(field, { type: scalar })
  // The two enums of the protocol are recognized by name.
  const isEnum = /\.(?:Result|RunnerStatus)$/.test(type)
  const named = isEnum ? FieldDescriptorProto_Type.ENUM : FieldDescriptorProto_Type.MESSAGE
  return Object.assign(field, { type: named, typeName: type })
}
