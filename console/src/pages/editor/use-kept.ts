import { useEffect, useState } from 'react';
import { isObject, type JsonObject } from '../../model/document';
import { parseJsonObject } from '../../model/json-input';

const PREFIX = 'everstep.editor.';
const DELAY_MS = 500;

/** Work that was not saved, kept in this browser so that a closed tab loses nothing. */
interface Kept {
  /** What an earlier tab has left. */
  readonly found: JsonObject | null;
  /** Hides it; it stays until the next save. */
  dismiss(): void;
  forget(): void;
}

export function useKept(id: string | null, document: JsonObject, dirty: boolean): Kept {
  const key = `${PREFIX}${id ?? 'new'}`;
  const [found, setFound] = useState(() => read(key, document));
  useEffect(() => {
    if (!dirty) return;
    const write = (): void => {
      try {
        localStorage.setItem(key, JSON.stringify(document));
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
  }, [key, document, dirty]);
  return {
    found,
    dismiss: () => setFound(null),
    forget: () => {
      localStorage.removeItem(key);
      setFound(null);
    },
  };
}

function read(key: string, document: JsonObject): JsonObject | null {
  const text = localStorage.getItem(key);
  if (text === null || text === JSON.stringify(document)) return null;
  try {
    const value: unknown = parseJsonObject(text);
    return isObject(value) ? value : null;
  } catch {
    // Not what this page has written.
    return null;
  }
}
