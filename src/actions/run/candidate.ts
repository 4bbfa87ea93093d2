import type { Inputs } from '../workflow/inputs.ts'
import type { Examined } from '../workflow/request.ts'
import type { WorkflowFile } from './workflow-files.ts'

/** A workflow to start. */
export interface WorkflowCandidate {
  /** Path below the workflow folder. */
  file: string
  /** The whole path. */
  path: string
  /** The name in the file; empty: none. */
  name: string
  source: string
  /** Why it cannot run, if the caller knows. */
  fault: string | undefined
  /** The workflows that its jobs call, as written. */
  calls: readonly string[]
  /** The `inputs` of expressions. */
  inputs: Inputs
}

/** A file as a candidate to start. */
export const candidateOf = (
  { name: file, path, source = '' }: WorkflowFile,
  { name, fault, calls }: Pick<Examined, 'name' | 'fault' | 'calls'>,
  inputs: Inputs,
): WorkflowCandidate => ({ file, path, name, source, fault, calls, inputs })
