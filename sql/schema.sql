-- Made by npm run schema from sql/migrations. Not run by anything.

CREATE SCHEMA forgehall;

CREATE SCHEMA site;

CREATE FUNCTION site.count_visitors() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
declare
  difference bigint;
begin
  if tg_op = 'INSERT' then
    select count(*) into difference from changed;
  else
    select - count(*) into difference from changed;
  end if;
  -- Most sessions are started by visitors that are known: then there is nothing to write.
  if difference <> 0 then
    update site.visitor_count
    set visitors = visitors + difference
    where slot = pg_backend_pid() % 16;
  end if;
  return null;
end
$$;

CREATE FUNCTION site.forget_visitors() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  update site.visitor_count set visitors = 0;
  return null;
end
$$;

CREATE TABLE forgehall.migration (
    name text NOT NULL,
    applied_at timestamp(3) with time zone DEFAULT now() NOT NULL
);

CREATE TABLE site.activity_entry (
    id bigint NOT NULL,
    description text NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT activity_entry_description_present CHECK ((description <> ''::text))
);

ALTER TABLE site.activity_entry ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME site.activity_entry_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE site.media_item (
    id bigint NOT NULL,
    title text NOT NULL,
    media_type text NOT NULL,
    url text NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT media_item_title_present CHECK ((title <> ''::text)),
    CONSTRAINT media_item_type_known CHECK ((media_type = ANY (ARRAY['image'::text, 'video'::text]))),
    CONSTRAINT media_item_url_present CHECK ((url <> ''::text))
);

ALTER TABLE site.media_item ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME site.media_item_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE site.news_post (
    id bigint NOT NULL,
    title text NOT NULL,
    content text NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT news_post_content_present CHECK ((content <> ''::text)),
    CONSTRAINT news_post_title_present CHECK ((title <> ''::text))
);

ALTER TABLE site.news_post ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME site.news_post_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE site.session (
    id bigint NOT NULL,
    visitor_id bigint NOT NULL,
    started_at timestamp(3) with time zone NOT NULL,
    ended_at timestamp(3) with time zone,
    CONSTRAINT session_ends_after_start CHECK ((ended_at >= started_at))
);

ALTER TABLE site.session ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME site.session_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE site.statistic (
    key text NOT NULL,
    value text NOT NULL,
    CONSTRAINT statistic_key_known CHECK ((key = ANY (ARRAY['build_pipeline'::text, 'build_number'::text, 'version'::text, 'reports_named'::text, 'reports_associated'::text, 'reports_logged'::text])))
);

CREATE TABLE site.visitor (
    id bigint NOT NULL,
    username text NOT NULL,
    joined_at timestamp(3) with time zone NOT NULL,
    last_seen_at timestamp(3) with time zone,
    CONSTRAINT visitor_username_size CHECK (((char_length(username) >= 1) AND (char_length(username) <= 255)))
);

CREATE TABLE site.visitor_count (
    slot smallint NOT NULL,
    visitors bigint NOT NULL
)
WITH (fillfactor='50');

ALTER TABLE site.visitor ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME site.visitor_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

ALTER TABLE ONLY forgehall.migration
    ADD CONSTRAINT migration_pkey PRIMARY KEY (name);

ALTER TABLE ONLY site.activity_entry
    ADD CONSTRAINT activity_entry_pkey PRIMARY KEY (id);

ALTER TABLE ONLY site.media_item
    ADD CONSTRAINT media_item_pkey PRIMARY KEY (id);

ALTER TABLE ONLY site.news_post
    ADD CONSTRAINT news_post_pkey PRIMARY KEY (id);

ALTER TABLE ONLY site.session
    ADD CONSTRAINT session_pkey PRIMARY KEY (id);

ALTER TABLE ONLY site.statistic
    ADD CONSTRAINT statistic_pkey PRIMARY KEY (key);

ALTER TABLE ONLY site.visitor_count
    ADD CONSTRAINT visitor_count_pkey PRIMARY KEY (slot);

ALTER TABLE ONLY site.visitor
    ADD CONSTRAINT visitor_pkey PRIMARY KEY (id);

ALTER TABLE ONLY site.visitor
    ADD CONSTRAINT visitor_username_unique UNIQUE (username);

CREATE INDEX activity_entry_newest ON site.activity_entry USING btree (created_at DESC, id DESC);

CREATE INDEX media_item_newest ON site.media_item USING btree (created_at DESC, id DESC);

CREATE INDEX news_post_newest ON site.news_post USING btree (created_at DESC, id DESC);

CREATE INDEX session_of_visitor ON site.session USING btree (visitor_id);

CREATE INDEX session_open ON site.session USING btree (started_at DESC, id DESC) WHERE (ended_at IS NULL);

CREATE INDEX visitor_newest ON site.visitor USING btree (joined_at DESC, id DESC);

CREATE TRIGGER visitor_count_down AFTER DELETE ON site.visitor REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION site.count_visitors();

CREATE TRIGGER visitor_count_none AFTER TRUNCATE ON site.visitor FOR EACH STATEMENT EXECUTE FUNCTION site.forget_visitors();

CREATE TRIGGER visitor_count_up AFTER INSERT ON site.visitor REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION site.count_visitors();

ALTER TABLE ONLY site.session
    ADD CONSTRAINT session_visitor_known FOREIGN KEY (visitor_id) REFERENCES site.visitor(id) ON DELETE CASCADE;
