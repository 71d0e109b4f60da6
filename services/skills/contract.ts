/** A file of a skill: its text, or its bytes in base64. Paths are relative, with `/` between folders. */
export type SkillFile = { path: string; content: string } | { path: string; base64: string };

/** A file without its content. `size` is in bytes, `sha256` in hexadecimal; `text`: it can be read as text. */
export interface SkillFileView {
  path: string;
  size: number;
  sha256: string;
  text: boolean;
}

/** What a skill says of itself in front of its instructions. `allowed_tools` is told, and grants nothing. */
export interface SkillHead {
  name: string;
  description: string;
  /** SemVer 2.0. */
  version: string | null;
  license: string | null;
  metadata: Record<string, string>;
  allowed_tools: string[];
}

/** What an uploaded bundle holds; nothing of it is stored. `warnings`: what was left out, or may surprise. */
export interface SkillDraft extends SkillHead {
  instructions: string;
  files: SkillFile[];
  /** SHA-256 over the canonical form of the content (see docs/skills.md). */
  hash: string;
  warnings: string[];
}

/** Whose skill it is. */
export interface SkillPublisher {
  slug: string;
  name: string;
}

/** Where an installed skill came from. The copy stays as it is, whatever becomes of that place. */
export interface SkillSource {
  id: string;
  version: string;
  hash: string;
  publisher: SkillPublisher;
  published_at: string;
  installed_at: string;
  /** Changed here since it was installed. */
  modified: boolean;
  /** The newest version in the registry, where it is newer than this one. */
  update_available: string | null;
  /** The version that is installed cannot be installed any more. */
  withdrawn: boolean;
}

/** A version in the registry. It never changes, and its number is not used again. */
export interface SkillVersionView {
  version: string;
  hash: string;
  notes: string | null;
  published_at: string;
  /** When it was taken out; null while it can be installed. */
  withdrawn_at: string | null;
}

/** What the registry has of a skill; `version`: the newest that can be installed. */
export interface SkillPublication {
  version: string | null;
  versions: SkillVersionView[];
}

/** A row of a list. `bytes`: of instructions and files. */
export interface SkillRow extends SkillHead {
  id: string;
  hash: string;
  bytes: number;
  file_count: number;
  source: SkillSource | null;
  /** The newest version of it in the registry; null for none. */
  published_version: string | null;
  created_by: string;
  created_at: string;
  updated_at: string;
}

/** A skill of a tenant. */
export interface SkillView extends SkillRow {
  instructions: string;
  files: SkillFile[];
  publication: SkillPublication | null;
}

/** What the registry tells everybody of a published skill. `installs`: tenants that have it now. */
export interface RegistryRow {
  id: string;
  name: string;
  description: string;
  version: string;
  hash: string;
  license: string | null;
  keywords: string[];
  publisher: SkillPublisher;
  installs: number;
  bytes: number;
  file_count: number;
  published_at: string;
}

/** To be read before it is installed. */
export interface RegistryView extends RegistryRow {
  metadata: Record<string, string>;
  allowed_tools: string[];
  instructions: string;
  files: SkillFileView[];
  versions: SkillVersionView[];
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

export interface SkillsActions {
  'skills.list': (p: { limit?: number; offset?: number }) => { data: SkillRow[]; limit: number; offset: number };
  'skills.create': (p: SkillFields & { name: string; description: string }) => SkillView;
  'skills.get': (p: { id: string }) => SkillView;
  /** Changes the fields that are given; `files` as a whole. */
  'skills.update': (p: SkillFields & { id: string }) => SkillView;
  'skills.remove': (p: { id: string }) => void;
  /** A bundle comes in parts (see services/files/contract): begun, put, then parsed by `commit_upload`. */
  'skills.begin_upload': (p: {
    upload_id: string;
    filename: string;
    content_type: string;
    announced: number | null;
  }) => void;
  'skills.put_upload': (p: { upload_id: string; n: number; data: string }) => void;
  'skills.commit_upload': (p: { upload_id: string; size: number }) => SkillDraft;
  'skills.give_up_upload': (p: { upload_id: string }) => void;
  'skills.publish': (p: {
    id: string;
    version?: string;
    bump?: 'major' | 'minor' | 'patch';
    notes?: string;
  }) => SkillView;
  /** Takes a version out of the registry, or all of them. What is installed stays. */
  'skills.unpublish': (p: { id: string; version?: string }) => SkillView;
  'skills.published': (p: { limit?: number; offset?: number }) => {
    data: RegistryRow[];
    limit: number;
    offset: number;
  };
  'skills.published_skill': (p: { id: string; version?: string }) => RegistryView;
  'skills.search': (p: { q?: string; limit?: number; offset?: number }) => {
    data: RegistryRow[];
    limit: number;
    offset: number;
  };
  /** `overwrite`: also where the installed copy was changed here. `created`: there was none before. */
  'skills.install': (p: {
    id: string;
    version?: string;
    name?: string;
    overwrite?: boolean;
  }) => SkillView & { created: boolean };
  /** Internal: those of the ids and names that no skill of the tenant has. */
  'skills.missing': (p: { refs: string[] }) => { refs: string[] };
  /** Internal: a skill of the tenant by id or name, as it is now or in a version. */
  'skills.pin': (p: { ref: string; version?: string }) => PinnedSkill;
  /** Internal: files of a pinned content, and its instructions from a character on. */
  'skills.read': (p: { hash: string; offset?: number; limit?: number }) => {
    text: string;
    total: number;
    files: SkillFileView[];
  };
  /** Internal: characters of a file of a pinned content; `text` is null where it is none. */
  'skills.read_file': (p: { hash: string; path: string; offset?: number; limit?: number }) => {
    text: string | null;
    size: number;
    total: number;
  };
}
