const MAX_SLUG_CHARS = 40;

/** A workspace address made of a name: `Acme & Söhne GmbH` gives `acme-sohne-gmbh`. */
export const slugOf = (name: string): string =>
  name
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_SLUG_CHARS)
    .replace(/^-+|-+$/g, '');
