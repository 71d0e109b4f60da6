import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import { bestMatches, type PaletteEntry } from '../model/palette';
import { classes } from '../ui';
import { DarkThemeIcon, type Icon, LightThemeIcon, SearchIcon, SignOutIcon, SystemThemeIcon } from '../ui/icon';
import { NAVIGATION } from './navigation';
import './palette.css';
import { closePalette, openPalette, paletteOpen } from './palette-state';
import { setTheme } from './theme';
import { signOut } from './user-section';

interface Command extends PaletteEntry {
  readonly group: string;
  readonly icon: Icon;
  readonly run: () => void;
}

const MAX_SHOWN = 12;

/** Ctrl-K: pages and actions by their names. */
export function Palette() {
  const open = useSyncExternalStore(paletteOpen.subscribe, paletteOpen.get);
  useEffect(() => {
    const onKey = (event: globalThis.KeyboardEvent): void => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      if (paletteOpen.get()) closePalette();
      else openPalette();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
  return open ? <PaletteDialog /> : null;
}

function useCommands(): readonly Command[] {
  const navigate = useNavigate();
  return useMemo(
    () => [
      ...NAVIGATION.map(({ label, icon, to }) => ({
        label,
        group: 'Pages',
        icon,
        run: () => void navigate({ to }),
      })),
      { label: 'Use the light theme', group: 'Actions', icon: LightThemeIcon, run: () => setTheme('light') },
      { label: 'Use the dark theme', group: 'Actions', icon: DarkThemeIcon, run: () => setTheme('dark') },
      { label: "Use the system's theme", group: 'Actions', icon: SystemThemeIcon, run: () => setTheme('system') },
      { label: 'Sign out', keywords: 'log out', group: 'Actions', icon: SignOutIcon, run: () => void signOut() },
    ],
    [navigate],
  );
}

function PaletteDialog() {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  const [query, setQuery] = useState('');
  const [active, setActive] = useState(0);
  const commands = bestMatches(useCommands(), query, MAX_SHOWN);
  const chosen = Math.min(active, commands.length - 1);
  useEffect(() => {
    dialog.current?.showModal();
  }, []);

  const run = (command: Command | undefined): void => {
    if (command === undefined) return;
    closePalette();
    command.run();
  };
  const onKey = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && commands.length > 0) {
      event.preventDefault();
      setActive((chosen + step + commands.length) % commands.length);
    } else if (event.key === 'Enter') {
      event.preventDefault();
      run(commands[chosen]);
    }
  };
  return (
    <dialog ref={dialog} className="palette" aria-label="Search" onClose={closePalette} onClick={closeOutside}>
      <div className="palette-query">
        <SearchIcon size={16} aria-hidden="true" />
        <input
          autoFocus
          role="combobox"
          aria-expanded="true"
          aria-controls={`${id}-list`}
          aria-activedescendant={commands.length > 0 ? `${id}-${chosen}` : undefined}
          aria-label="Search pages and actions"
          placeholder="Search pages and actions"
          value={query}
          onChange={(event) => {
            setQuery(event.currentTarget.value);
            setActive(0);
          }}
          onKeyDown={onKey}
        />
      </div>
      <div id={`${id}-list`} role="listbox" aria-label="Results" className="palette-list">
        {commands.map((command, index) => (
          <div
            key={command.label}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === chosen}
            className={classes('palette-row', index === chosen && 'palette-active')}
            onPointerMove={() => setActive(index)}
            onClick={() => run(command)}
          >
            <command.icon size={16} aria-hidden="true" />
            <span>{command.label}</span>
            <span className="palette-group">{command.group}</span>
          </div>
        ))}
      </div>
      {commands.length === 0 && <p className="palette-none">Nothing fits “{query}”.</p>}
    </dialog>
  );
}

/** A click on the backdrop has the dialog itself as its target. */
function closeOutside(event: React.MouseEvent<HTMLDialogElement>): void {
  if (event.target === event.currentTarget) closePalette();
}
