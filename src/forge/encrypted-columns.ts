import { registrationPurpose } from '../actions/runner/registration-store.ts'
import { taskSecretsPurpose } from '../actions/runner/task-secret-store.ts'
import { secretPurpose } from '../actions/secrets/secret-store.ts'
import type { EncryptedColumns } from '../db/encryption/encrypted-column.ts'
import { answerPurpose } from '../http/idempotency/idempotency-store.ts'
import { totpPurpose } from './auth/totp-store.ts'
import { hookPurpose } from './webhooks/delivery/hook-secrets.ts'

/**
 * Everything that is encrypted at rest, under the names that operators see. Columns missing here are not re-encrypted
 * when the key changes.
 */
export const encryptedColumns: EncryptedColumns = {
  'addresses of webhooks': {
    table: 'forge.hook',
    key: ['id'],
    column: 'address',
    purpose: hookPurpose.address,
  },
  'addresses in the history of webhooks': {
    table: 'forge.hook_attempt',
    key: ['delivery_id', 'number'],
    column: 'address',
    purpose: hookPurpose.attempt,
  },
  'secrets of webhooks': {
    table: 'forge.hook',
    key: ['id'],
    column: 'secret',
    purpose: hookPurpose.secret,
  },
  'authorization headers of webhooks': {
    table: 'forge.hook',
    key: ['id'],
    column: 'authorization_header',
    purpose: hookPurpose.authorization,
  },
  'secrets of one-time codes': {
    table: 'forge.totp',
    key: ['account_id'],
    column: 'secret',
    purpose: totpPurpose,
  },
  'registration tokens of runners': {
    table: 'forge.action_runner_token',
    key: ['id'],
    column: 'sealed',
    purpose: registrationPurpose,
  },
  'answers under idempotency keys': {
    table: 'forgehall.idempotency_key',
    key: ['id'],
    column: 'sealed',
    purpose: answerPurpose,
  },
  'secrets that jobs received': {
    table: 'forge.action_task_secret',
    key: ['task_id'],
    column: 'sealed',
    purpose: taskSecretsPurpose,
  },
  'secrets of Actions': { table: 'forge.secret', key: ['id'], column: 'sealed', purpose: secretPurpose },
}
