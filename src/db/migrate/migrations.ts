import site from '../../../sql/migrations/0001_site.sql'
import forge from '../../../sql/migrations/0002_forge.sql'
import webhooks from '../../../sql/migrations/0003_webhooks.sql'
import publicMembers from '../../../sql/migrations/0004_public_members.sql'
import repositories from '../../../sql/migrations/0005_repositories.sql'
import hookOwners from '../../../sql/migrations/0006_hook_owners.sql'
import cronAndSearch from '../../../sql/migrations/0007_cron_and_search.sql'
import packages from '../../../sql/migrations/0008_packages.sql'
import teamRepositories from '../../../sql/migrations/0009_team_repositories.sql'
import tracker from '../../../sql/migrations/0010_tracker.sql'
import actions from '../../../sql/migrations/0011_actions.sql'
import secrets from '../../../sql/migrations/0012_secrets.sql'
import workflowEvents from '../../../sql/migrations/0013_workflow_events.sql'
import iso from '../../../sql/migrations/0014_iso.sql'
import actionTotals from '../../../sql/migrations/0015_action_totals.sql'
import pushes from '../../../sql/migrations/0016_pushes.sql'
import matrixBounds from '../../../sql/migrations/0017_matrix_bounds.sql'
import overtakenPushes from '../../../sql/migrations/0018_overtaken_pushes.sql'
import sealedAddresses from '../../../sql/migrations/0019_sealed_addresses.sql'
import triggerClaims from '../../../sql/migrations/0020_trigger_claims.sql'
import totpAttempts from '../../../sql/migrations/0021_totp_attempts.sql'
import sealedRegistrationTokens from '../../../sql/migrations/0024_sealed_registration_tokens.sql'
import topicsAndReactions from '../../../sql/migrations/0026_topics_and_reactions.sql'
import automaticWatching from '../../../sql/migrations/0027_automatic_watching.sql'
import issueMentions from '../../../sql/migrations/0028_issue_mentions.sql'
import issueRef from '../../../sql/migrations/0029_issue_ref.sql'
import taskEnds from '../../../sql/migrations/0030_task_ends.sql'
import dispatchDepth from '../../../sql/migrations/0031_dispatch_depth.sql'
import secretKeys from '../../../sql/migrations/0032_secret_keys.sql'
import statusesOfTheApi from '../../../sql/migrations/0034_statuses_of_the_api.sql'
import eventKinds from '../../../sql/migrations/0035_event_kinds.sql'
import idempotencyKeys from '../../../sql/migrations/0036_idempotency_keys.sql'
import siteChanges from '../../../sql/migrations/0037_site_changes.sql'
import webSessions from '../../../sql/migrations/0038_web_sessions.sql'
import requestIds from '../../../sql/migrations/0039_request_ids.sql'
import contentStore from '../../../sql/migrations/0041_content_store.sql'
import requiredMigrations from '../../../sql/migrations/0043_required_migrations.sql'
import pushRequestIds from '../../../sql/migrations/0044_push_request_ids.sql'

/** A migration; the name is that of its file and is recorded in the database. */
export interface Migration {
  name: string
  text: string
}

/** All migrations, in the order in which they are applied. */
export const migrations: readonly Migration[] = [
  { name: '0001_site', text: site },
  { name: '0002_forge', text: forge },
  { name: '0003_webhooks', text: webhooks },
  { name: '0004_public_members', text: publicMembers },
  { name: '0005_repositories', text: repositories },
  { name: '0006_hook_owners', text: hookOwners },
  { name: '0007_cron_and_search', text: cronAndSearch },
  { name: '0008_packages', text: packages },
  { name: '0009_team_repositories', text: teamRepositories },
  { name: '0010_tracker', text: tracker },
  { name: '0011_actions', text: actions },
  { name: '0012_secrets', text: secrets },
  { name: '0013_workflow_events', text: workflowEvents },
  { name: '0014_iso', text: iso },
  { name: '0015_action_totals', text: actionTotals },
  { name: '0016_pushes', text: pushes },
  { name: '0017_matrix_bounds', text: matrixBounds },
  { name: '0018_overtaken_pushes', text: overtakenPushes },
  { name: '0019_sealed_addresses', text: sealedAddresses },
  { name: '0020_trigger_claims', text: triggerClaims },
  { name: '0021_totp_attempts', text: totpAttempts },
  { name: '0024_sealed_registration_tokens', text: sealedRegistrationTokens },
  { name: '0026_topics_and_reactions', text: topicsAndReactions },
  { name: '0027_automatic_watching', text: automaticWatching },
  { name: '0028_issue_mentions', text: issueMentions },
  { name: '0029_issue_ref', text: issueRef },
  { name: '0030_task_ends', text: taskEnds },
  { name: '0031_dispatch_depth', text: dispatchDepth },
  { name: '0032_secret_keys', text: secretKeys },
  { name: '0034_statuses_of_the_api', text: statusesOfTheApi },
  { name: '0035_event_kinds', text: eventKinds },
  { name: '0036_idempotency_keys', text: idempotencyKeys },
  { name: '0037_site_changes', text: siteChanges },
  { name: '0038_web_sessions', text: webSessions },
  { name: '0039_request_ids', text: requestIds },
  { name: '0041_content_store', text: contentStore },
  { name: '0043_required_migrations', text: requiredMigrations },
  { name: '0044_push_request_ids', text: pushRequestIds },
]
