import { useEffect, useRef } from 'react';

interface Shortcuts {
  readonly onSave: () => void;
  readonly onUndo: () => void;
  readonly onRedo: () => void;
}

/** Ctrl S, Ctrl Z and Ctrl Shift Z, wherever the focus is. The code has a history of its own. */
export function useShortcuts(shortcuts: Shortcuts): void {
  const latest = useRef(shortcuts);
  latest.current = shortcuts;
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey) return;
      const { onSave, onUndo, onRedo } = latest.current;
      const key = event.key.toLowerCase();
      if (key === 's') {
        event.preventDefault();
        onSave();
      }
      const inCode = event.target instanceof Element && event.target.closest('[data-code]') !== null;
      if (inCode || (key !== 'z' && key !== 'y')) return;
      event.preventDefault();
      if (key === 'y' || event.shiftKey) onRedo();
      else onUndo();
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, []);
}
