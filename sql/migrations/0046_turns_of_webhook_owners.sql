-- Deliveries of webhooks take turns by the account that owns the webhook, or its repository, so that one owner's queue does
-- not delay another's. 0: the site, or a delivery that the release before has queued, which leaves the column out.
alter table forge.hook_delivery add column owner_id bigint not null default 0;

update forge.hook_delivery as delivery
set owner_id = coalesce(hook.owner_id, repository.owner_id, 0)
from forge.hook
left join forge.repository on repository.id = hook.repository_id
where delivery.state = 'waiting' and hook.id = delivery.hook_id;

-- Finds the next deliveries of each owner without reading those of the others. The release before reads hook_delivery_due.
create index hook_delivery_turns on forge.hook_delivery (owner_id, due_at, id) where state = 'waiting';
