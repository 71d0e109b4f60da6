/** What a listing tells of a secret; never its value. */
export interface SecretView {
  name: string;
  created_at: string;
  updated_at: string;
}

export interface SecretsActions {
  'secrets.list': (p: Record<string, never>) => { data: SecretView[] };
  /** Creates or replaces; `created` tells which. */
  'secrets.put': (p: { name: string; value: string }) => SecretView & { created: boolean };
  'secrets.remove': (p: { name: string }) => void;
  /** Internal: the plain values of those names that exist. */
  'secrets.reveal': (p: { names: string[] }) => { values: Record<string, string> };
  /** Internal: those of the names that do not exist. */
  'secrets.missing': (p: { names: string[] }) => { names: string[] };
}
