import gitignore from 'folder:./gitignore'
import label from 'folder:./label'
import licenses from 'packed:licenses'
import { type Collection, collection } from './collection.ts'
import { type LabelTemplate, readLabelYaml } from './label-file.ts'
import { type OperatorTemplates, readOperatorTemplates } from './operator.ts'
import { unpack } from './unpack.ts'

/** The three collections that the API lists and that a new repository can start from (forge reference 3.1). */
export interface Templates {
  /** `.gitignore` files by names like `C++` and `VisualStudioCode`. */
  readonly gitignore: Collection<string>
  /** Label sets in the order of their files. */
  readonly label: Collection<readonly LabelTemplate[]>
  /** Licence texts by SPDX identifier, with placeholders: `fillLicense` fills them. */
  readonly license: Collection<string>
}

/**
 * The built-in collections, extended or overridden by the operator's items. The folder is only read now.
 * @param dir the value of TEMPLATES_DIR
 * @throws {TemplateFaults} naming every fault in the operator's files
 */
export function openTemplates({ dir }: { readonly dir?: string | undefined } = {}): Templates {
  const added: OperatorTemplates | undefined = dir === undefined ? undefined : readOperatorTemplates(dir)
  return {
    gitignore: collection(new Map([...builtIn(gitignore, '.gitignore'), ...entriesOf(added?.gitignore)])),
    label: collection(new Map([...builtInLabels(), ...entriesOf(added?.label)])),
    license: collection(new Map([...unpack(licenses), ...entriesOf(added?.license)])),
  }
}

function builtIn(files: Readonly<Record<string, string>>, ending: string): [string, () => string][] {
  return Object.entries(files).map(([file, text]) => [file.slice(0, -ending.length), () => text])
}

function builtInLabels(): [string, () => readonly LabelTemplate[]][] {
  return builtIn(label, '.yaml').map(([name, text]) => {
    let labels: readonly LabelTemplate[] | undefined
    return [
      name,
      () => {
        labels ??= readLabelYaml(text()).labels
        return labels
      },
    ]
  })
}

function entriesOf<T>(items: ReadonlyMap<string, T> = new Map()): [string, () => T][] {
  return [...items].map(([name, item]) => [name, () => item])
}
