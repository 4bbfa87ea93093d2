import assert from 'node:assert/strict'
import type { Answered } from '../client.ts'

/** Holds an answer against a status and a message: a refusal says nothing else but where the API is described. */
export function holdRefusal(answered: Answered, status: number, message: string): void {
  assert.deepEqual(
    [answered.status, answered.body],
    [status, { message, url: 'https://forgehall.example/api/swagger' }],
  )
}
