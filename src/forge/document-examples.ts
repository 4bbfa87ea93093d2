const hook = {
  config: { url: 'https://ci.example.org/hook', content_type: 'json', secret: 'known to both sides' },
  events: ['push', 'issues'],
  active: true,
}
const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl grace@laptop'
const markdown = { Text: 'It **works**, see #1.', Mode: 'gfm', Context: 'engines/crane' }
const about = {
  full_name: 'Society of Engines',
  website: 'https://engines.example.org',
  visibility: 'public',
}

/** What callers of the Forge Management API might send, by the name of the schema. */
export const bodyExamples: Readonly<Record<string, unknown>> = {
  CreateUserOption: { username: 'grace', email: 'grace@example.org', password: 'a long password' },
  EditUserOption: { source_id: 0, login_name: 'grace', full_name: 'Grace Hopper', location: 'Arlington' },
  RenameUserOption: { new_username: 'hopper' },
  CreateEmailOption: { emails: ['hopper@example.org'] },
  DeleteEmailOption: { emails: ['hopper@example.org'] },
  CreateKeyOption: { title: 'laptop', key },
  CreateAccessTokenOption: { name: 'laptop', scopes: ['write:repository', 'read:user'] },
  UserBadgeOption: { badge_slugs: ['founder'] },
  CreateBadgeOption: { slug: 'founder', description: 'Was here first' },
  EditBadgeOption: { description: 'Was here before all others' },
  CreateOrgOption: { username: 'engines', ...about },
  EditOrgOption: about,
  RenameOrgOption: { new_name: 'machines' },
  CreateTeamOption: { name: 'builders', permission: 'write', units: ['repo.code', 'repo.issues'] },
  EditTeamOption: { name: 'builders', description: 'Who builds' },
  CreateRepoOption: { name: 'crane', description: 'Lifts heavy things', auto_init: true, license: 'MIT' },
  EditRepoOption: { description: 'Lifts heavy things, gently', private: true },
  TransferRepoOption: { new_owner: 'engines' },
  AddCollaboratorOption: { permission: 'write' },
  RepoTopicOptions: { topics: ['lifting', 'hydraulics'] },
  CreateStatusOption: { state: 'success', context: 'ci/build', target_url: 'https://ci.example.org/1' },
  CreateIssueOption: { title: 'It leaks', body: 'Oil, *below* the boom.', assignees: ['grace'] },
  EditIssueOption: { state: 'closed' },
  CreateIssueCommentOption: { body: 'I have seen it too.' },
  EditIssueCommentOption: { body: 'I have seen it twice.' },
  CreateLabelOption: { name: 'bug', color: '#ee0701', description: 'It does not work' },
  EditLabelOption: { color: '#d73a4a' },
  IssueLabelsOption: { labels: ['bug'] },
  EditReactionOption: { content: 'heart' },
  CreateHookOption: { type: 'gitea', ...hook },
  EditHookOption: hook,
  CreateOrUpdateSecretOption: { data: 'known to nobody else' },
  CreateVariableOption: { value: 'staging' },
  UpdateVariableOption: { value: 'production' },
  CreateActionWorkflowDispatch: { ref: 'main', inputs: { level: 'debug' } },
  EditActionRunnerOption: { disabled: true },
  MarkdownOption: markdown,
  MarkupOption: { ...markdown, Mode: 'file', FilePath: 'README.org', Text: '* It /works/' },
}
