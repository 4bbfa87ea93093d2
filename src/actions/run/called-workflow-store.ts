import { allRows, firstRow } from '../../db/rows.ts'
import type { Sql, Tx } from '../../db/sql.ts'

/** A workflow file that a job of a run calls. */
export interface CalledWorkflow {
  number: number
  /** The number of the file whose job calls it; 0: the file of the run. */
  caller_number: number
  uses: string
  commit_sha: string | null
  /** Null: no job may use it. */
  source: string | null
  fault: string | null
}

/** The only writer of called workflows. */
export async function insertCalledWorkflows(
  tx: Tx,
  run: number,
  called: readonly CalledWorkflow[],
): Promise<void> {
  if (called.length === 0) return
  await tx`
    insert into forge.action_called_workflow (run_id, number, caller_number, uses, commit_sha, source, fault)
    select ${run}, number, caller_number, uses, commit_sha, source, fault
    from json_to_recordset(${JSON.stringify(called)}::text::json) as input (
      number integer, caller_number integer, uses text, commit_sha text, source text, fault text
    )`
}

/** The files that the jobs of one file of a run call, without their sources. */
export const workflowsCalledBy = (sql: Sql, run: number, caller: number) =>
  allRows(sql<Omit<CalledWorkflow, 'source'>[]>`
    select number, caller_number, uses, commit_sha, fault
    from forge.action_called_workflow
    where run_id = ${run} and caller_number = ${caller}
    order by number`)

/** The source of a called file. */
export async function sourceOfCalled(sql: Sql, run: number, number: number): Promise<string | undefined> {
  const row = await firstRow(sql<{ source: string | null }[]>`
    select source
    from forge.action_called_workflow
    where run_id = ${run} and number = ${number}`)
  return row?.source ?? undefined
}
