import { stackOf } from '../common/errors.ts'
import { answerRequests } from '../threads/answer.ts'
import { showSource } from './formats/source.ts'
import { render } from './render.ts'
import { type RenderOutcome, type RenderRequest, renderFailed, type SourceRequest } from './request.ts'

answerRequests((request: RenderRequest | SourceRequest): RenderOutcome => {
  try {
    return 'sourcePath' in request ? showSource(request) : render(request)
  } catch (error) {
    const log = stackOf(error)
    return renderFailed('failed', 'the text could not be rendered', log)
  }
})
