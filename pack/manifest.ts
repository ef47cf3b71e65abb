// What the package says about itself on npm, made of what this repository says: its dependencies without what only the repository needs,
// and its entries as JavaScript with types.

/** The fields of a package.json that are read here. */
export interface Manifest {
  readonly name: string
  readonly version: string
  readonly description: string
  readonly license: string
  readonly private: boolean
  readonly type: string
  readonly engines: Readonly<Record<string, string>>
  readonly exports: Readonly<Record<string, string>>
  readonly imports: Readonly<Record<string, string>>
  readonly dependencies: Readonly<Record<string, string>>
  readonly peerDependencies: Readonly<Record<string, string>>
}

interface Entry {
  readonly types: string
  readonly default: string
}

export type PublishedManifest = Omit<Manifest, 'exports'> & { readonly exports: Readonly<Record<string, Entry>> }

/** The build copies the two files of it that are used: installed as a package it brings one that reports the installation to its maker. */
export const COPIED = 'swagger-ui-dist'
/** Only the start on a laptop needs it, and that is not part of the package. */
const OF_THE_START = 'fauxqs'

const TYPESCRIPT = /\.ts$/

const mapped = <Value>(record: Readonly<Record<string, string>>, change: (text: string) => Value) =>
  Object.fromEntries(Object.entries(record).map(([name, text]) => [name, change(text)]))

export function publishedManifest(manifest: Manifest): PublishedManifest {
  const { name, version, description, license, type, engines, exports, imports, dependencies, peerDependencies } =
    manifest
  // A second copy of the CDK beside the user's would make constructs that do not fit the user's stacks.
  const isInstalled = (dependency: string) =>
    dependency !== COPIED && dependency !== OF_THE_START && peerDependencies[dependency] === undefined
  return {
    name,
    version,
    description,
    license,
    private: manifest.private,
    type,
    engines,
    exports: mapped(exports, (path) => ({
      types: path.replace(TYPESCRIPT, '.d.ts'),
      default: path.replace(TYPESCRIPT, '.js'),
    })),
    imports: mapped(imports, (path) => path.replace(TYPESCRIPT, '.js')),
    dependencies: Object.fromEntries(Object.entries(dependencies).filter(([dependency]) => isInstalled(dependency))),
    peerDependencies,
  }
}
