import * as s from '../../lib/schema';

/** What a skill says of itself in front of its instructions. `allowed_tools` is informative, and grants nothing. */
export interface SkillHead {
  name: string;
  description: string;
  /** SemVer 2.0. */
  version: string | null;
  license: string | null;
  metadata: Record<string, string>;
  allowed_tools: string[];
}

/** What a skill is made with, or changed to; the draft of a parsed bundle is taken as it is. */
export interface SkillFields {
  name?: string;
  description?: string;
  version?: string | null;
  license?: string | null;
  metadata?: Record<string, string>;
  allowed_tools?: string[];
  instructions?: string;
  files?: SkillFile[];
}

/** A skill as a run takes it up: what is asked of it later is asked by this hash. */
export interface PinnedSkill {
  id: string;
  name: string;
  description: string;
  version: string | null;
  hash: string;
}

export const SkillFile = s.named(
  'SkillFile',
  s.union(
    s.object({
      path: s.text,
      content: s.text,
    }),
    s.object({
      path: s.text,
      base64: s.text,
    }),
  ),
  'A file of a skill: its text, or its bytes in base64. Paths are relative, with `/` between folders.',
);
export type SkillFile = s.Infer<typeof SkillFile>;

export const SkillFileView = s.named(
  'SkillFileView',
  s.object({
    path: s.text,
    size: s.number,
    sha256: s.text,
    text: s.boolean,
  }),
  'A file without its content. `size` is in bytes, `sha256` in hexadecimal; `text`: it can be read as text.',
);
export type SkillFileView = s.Infer<typeof SkillFileView>;

/** What the head of a skill's file says. */
const SKILL_FIELDS = {
  name: s.text,
  description: s.text,
  version: s.text.nullable().about('SemVer 2.0.'),
  license: s.text.nullable(),
  metadata: s.record(s.text),
  allowed_tools: s.array(s.text),
};

export const SkillDraft = s.named(
  'SkillDraft',
  s.object({
    instructions: s.text,
    files: s.array(SkillFile),
    hash: s.text.about('SHA-256 over the canonical form of the content (see docs/skills.md).'),
    warnings: s.array(s.text),
    ...SKILL_FIELDS,
  }),
  'What an uploaded bundle holds; nothing of it is stored. `warnings`: what was left out, or may surprise.',
);
export type SkillDraft = s.Infer<typeof SkillDraft>;

export const SkillPublisher = s.named(
  'SkillPublisher',
  s.object({
    slug: s.text,
    name: s.text,
  }),
  'Whose skill it is.',
);
export type SkillPublisher = s.Infer<typeof SkillPublisher>;

export const SkillSource = s.named(
  'SkillSource',
  s.object({
    id: s.text,
    version: s.text,
    hash: s.text,
    publisher: SkillPublisher,
    published_at: s.text,
    installed_at: s.text,
    modified: s.boolean.about('Changed here since it was installed.'),
    update_available: s.text.nullable().about('The newest version in the registry, where it is newer than this one.'),
    withdrawn: s.boolean.about('The version that is installed cannot be installed any more.'),
  }),
  'Where an installed skill came from. The copy stays as it is, whatever becomes of that place.',
);
export type SkillSource = s.Infer<typeof SkillSource>;

export const SkillVersionView = s.named(
  'SkillVersionView',
  s.object({
    version: s.text,
    hash: s.text,
    notes: s.text.nullable(),
    published_at: s.text,
    withdrawn_at: s.text.nullable().about('When it was taken out; null while it can be installed.'),
  }),
  'A version in the registry. It never changes, and its number is not used again.',
);
export type SkillVersionView = s.Infer<typeof SkillVersionView>;

export const SkillPublication = s.named(
  'SkillPublication',
  s.object({
    version: s.text.nullable(),
    versions: s.array(SkillVersionView),
  }),
  'What the registry has of a skill; `version`: the newest that can be installed.',
);
export type SkillPublication = s.Infer<typeof SkillPublication>;

export const SkillRow = s.named(
  'SkillRow',
  s.object({
    id: s.text,
    hash: s.text,
    bytes: s.number,
    file_count: s.number,
    source: SkillSource.nullable(),
    published_version: s.text.nullable().about('The newest version of it in the registry; null for none.'),
    created_by: s.text,
    created_at: s.text,
    updated_at: s.text,
    ...SKILL_FIELDS,
  }),
  'A row of a list. `bytes`: of instructions and files.',
);
export type SkillRow = s.Infer<typeof SkillRow>;

export const SkillView = s.named(
  'SkillView',
  SkillRow.extend({
    instructions: s.text,
    files: s.array(SkillFile),
    publication: SkillPublication.nullable(),
  }),
  'A skill of a tenant.',
);
export type SkillView = s.Infer<typeof SkillView>;

export const RegistryRow = s.named(
  'RegistryRow',
  s.object({
    id: s.text,
    name: s.text,
    description: s.text,
    version: s.text,
    hash: s.text,
    license: s.text.nullable(),
    keywords: s.array(s.text),
    publisher: SkillPublisher,
    installs: s.number,
    bytes: s.number,
    file_count: s.number,
    published_at: s.text,
  }),
  'What the registry tells everybody of a published skill. `installs`: tenants that have it now.',
);
export type RegistryRow = s.Infer<typeof RegistryRow>;

export const RegistryView = s.named(
  'RegistryView',
  RegistryRow.extend({
    metadata: s.record(s.text),
    allowed_tools: s.array(s.text),
    instructions: s.text,
    files: s.array(SkillFileView),
    versions: s.array(SkillVersionView),
  }),
  'To be read before it is installed.',
);
export type RegistryView = s.Infer<typeof RegistryView>;
