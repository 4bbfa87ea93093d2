import { stackOf } from '../../common/errors.ts'
import { answerRequests } from '../../threads/answer.ts'
import { handleRequest, type WorkflowOutcome, type WorkflowRequest } from './request.ts'

answerRequests((request: WorkflowRequest): WorkflowOutcome => {
  try {
    return handleRequest(request)
  } catch (error) {
    // Hostile nesting overflows the stack: a fault of the file, and the thread continues.
    if (error instanceof RangeError) return { kind: 'fault', fault: 'the file is nested too deeply' }
    return { kind: 'problem', reason: 'failed', log: stackOf(error) }
  }
})
