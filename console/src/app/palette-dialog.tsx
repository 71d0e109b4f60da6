import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { classes } from '../ui';
import { SearchIcon } from '../ui/icon';
import { type Command, useCommands } from './palette-commands';
import './palette.css';
import { closePalette } from './palette-state';

export default function PaletteDialog() {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  const [query, setQuery] = useState('');
  const [active, setActive] = useState(0);
  const { commands, loading } = useCommands(query);
  const chosen = Math.min(active, commands.length - 1);
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  useEffect(() => {
    document.getElementById(`${id}-${chosen}`)?.scrollIntoView({ block: 'nearest' });
  }, [id, chosen]);

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
          aria-label="Search workflows, runs, pages and help"
          placeholder="Search workflows, runs by id, pages and help"
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
            key={command.id}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === chosen}
            className={classes('palette-row', index === chosen && 'palette-active')}
            onPointerMove={() => setActive(index)}
            onClick={() => run(command)}
          >
            <command.icon size={16} aria-hidden="true" />
            <span className="palette-label">{command.label}</span>
            <span className="palette-group">{command.group}</span>
          </div>
        ))}
      </div>
      {commands.length === 0 && (
        <p className="palette-none" role="status">
          {loading ? 'Searching…' : `Nothing fits “${query}”.`}
        </p>
      )}
    </dialog>
  );
}

/** A click on the backdrop has the dialog itself as its target. */
function closeOutside(event: React.MouseEvent<HTMLDialogElement>): void {
  if (event.target === event.currentTarget) closePalette();
}
