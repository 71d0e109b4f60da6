import { useEffect, useState } from 'react';
import { isObject, type JsonObject, mergeDocuments } from '../../model/document';
import { parseJsonObject } from '../../model/json-input';

const PREFIX = 'everstep.editor.';
const DELAY_MS = 500;

/** Work that was not saved, with the document that it began with. */
interface Unsaved {
  readonly base: JsonObject;
  readonly document: JsonObject;
}

/** Work that was not saved, kept in this browser so that a closed tab loses nothing. */
interface UnsavedWork {
  /** What an earlier tab has left. */
  readonly found: Unsaved | null;
  /** Hides it; it stays until the next save. */
  dismiss(): void;
  forget(): void;
}

/** `saved`: the document that is stored. */
export function useKept(id: string | null, document: JsonObject, saved: JsonObject, dirty: boolean): UnsavedWork {
  const key = `${PREFIX}${id ?? 'new'}`;
  const [found, setFound] = useState(() => read(key, document));
  useEffect(() => {
    if (!dirty) return;
    const write = (): void => {
      try {
        localStorage.setItem(key, JSON.stringify({ base: saved, document } satisfies Unsaved));
      } catch {
        // The storage is full or refused; the question before leaving is left.
      }
    };
    const timer = setTimeout(write, DELAY_MS);
    window.addEventListener('pagehide', write);
    return () => {
      clearTimeout(timer);
      window.removeEventListener('pagehide', write);
    };
  }, [key, document, saved, dirty]);
  return {
    found,
    dismiss: () => setFound(null),
    forget: () => {
      localStorage.removeItem(key);
      setFound(null);
    },
  };
}

/** The kept document, with what was stored since it was begun. `conflicts`: paths at which both have changed. */
export const restored = ({ base, document }: Unsaved, saved: JsonObject) => mergeDocuments(base, document, saved);

function read(key: string, document: JsonObject): Unsaved | null {
  const text = localStorage.getItem(key);
  if (text === null) return null;
  try {
    const value = parseJsonObject(text);
    const { base, document: kept } = value;
    if (!isObject(base) || !isObject(kept) || JSON.stringify(kept) === JSON.stringify(document)) return null;
    return { base, document: kept };
  } catch {
    // Not what this page has written.
    return null;
  }
}
