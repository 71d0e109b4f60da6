/** What a listing tells of a secret; never its value. */
export interface SecretView {
  name: string;
  created_at: string;
  updated_at: string;
}

/** A master key by its id, which says nothing about the key. */
export interface MasterKeyView {
  key_id: string;
  since: string;
}

/** How far the values of a collection are under the master key in use, when last looked at. */
export interface SealedCollectionView {
  name: string;
  state: 'waiting' | 'rotating' | 'done';
  /** Values under other keys. */
  left: number;
  resealed: number;
  /** Of those left: values whose key is not known, or that are damaged. */
  unreadable: number;
  updated_at: string;
}

/** The keys of the installation: facts about all of it, and none about a tenant. */
export interface KeysView {
  master: MasterKeyView & {
    /** Keys that were in use before; `known`: the process that answers can still open with it. */
    previous: (MasterKeyView & { known: boolean })[];
    /** Nothing needs a previous key any more. */
    done: boolean;
    collections: SealedCollectionView[];
  };
  /** `previous`: how many former keys are still accepted. */
  token: { algorithm: 'HS256' | 'EdDSA'; previous: number };
  principal: { previous: number };
}

export interface SecretsActions {
  'secrets.keys': (p: Record<string, never>) => KeysView;
  'secrets.list': (p: Record<string, never>) => { data: SecretView[] };
  /** Creates or replaces; `created` tells which. */
  'secrets.put': (p: { name: string; value: string }) => SecretView & { created: boolean };
  'secrets.remove': (p: { name: string }) => void;
  /** Internal: the plain values of those names that exist. */
  'secrets.reveal': (p: { names: string[] }) => { values: Record<string, string> };
  /** Internal: those of the names that do not exist. */
  'secrets.missing': (p: { names: string[] }) => { names: string[] };
}
