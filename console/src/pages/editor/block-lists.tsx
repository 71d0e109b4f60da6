import {
  addBlock,
  blockTypeOf,
  isObject,
  type JsonObject,
  type Path,
  pathText,
  removeList,
  setValue,
  type StepPlace,
} from '../../model/document';
import { listsOfStep } from '../../model/document/walk';
import { documentOf } from '../../model/editor-state';
import { labelOf } from '../../model/layout';
import { Button, Field, IconButton, Select } from '../../ui';
import { DeleteIcon, PlusIcon } from '../../ui/icon';
import { useEditor } from './editor-context';
import styles from './editor.module.css';
import { textField, ValueField } from './value-field';

/** Cases with their conditions, branches with their ids, and what else a block has. */
export function BlockLists({ place }: { readonly place: StepPlace }) {
  const { state, edit } = useEditor();
  const document = documentOf(state);
  const { step, path } = place;
  const type = blockTypeOf(step.type);
  const set = (value: unknown, at: Path): void => edit(setValue(document, at, value, path), pathText(at));
  const parts = listsOfStep(step, path).filter(({ key }) => key.includes('.'));
  return (
    <>
      {parts.map((list) => {
        const block = list.path.slice(0, -1);
        const index = Number(block.at(-1));
        const held = list.key.startsWith('cases') ? 'when' : 'id';
        const value = partValue(step, list.key, held);
        return (
          <div key={list.key} className={styles.pairWide}>
            <ValueField
              field={{
                ...textField(
                  held,
                  held === 'when' ? `Case ${index + 1}` : `Branch ${index + 1}`,
                  null,
                  '{{ steps.fetch.body.total > 100 }}',
                ),
                required: true,
              }}
              path={[...block, held]}
              value={value}
              onChange={(next, at) => set(next ?? '', at)}
            />
            {parts.length > 1 && (
              <IconButton
                icon={DeleteIcon}
                size="small"
                label={`Remove ${labelOf(step, list)}`}
                onClick={() => edit(removeList(document, list.path))}
              />
            )}
          </div>
        );
      })}
      {(type === 'branch' || type === 'parallel') && (
        <div>
          <Button size="small" icon={PlusIcon} onClick={() => edit(addBlock(document, path))}>
            {type === 'branch' ? 'Add a case' : 'Add a branch'}
          </Button>
        </div>
      )}
      {type === 'parallel' && (
        <Field label="Waits for" hint="Others are cancelled when enough branches are done.">
          <Select
            options={[
              { value: 'all', label: 'All branches' },
              { value: 'any', label: 'The first that is done' },
              ...parts.slice(1).map((_part, index) => ({ value: String(index + 1), label: `${index + 1} of them` })),
            ]}
            value={String(step.wait ?? 'all')}
            onChange={({ currentTarget: { value } }) =>
              set(value === 'all' ? undefined : value === 'any' ? value : Number(value), [...path, 'wait'])
            }
          />
        </Field>
      )}
    </>
  );
}

function partValue(step: JsonObject, key: string, held: string): unknown {
  const [name = '', index] = key.split('.');
  const blocks = step[name];
  const block: unknown = Array.isArray(blocks) ? blocks[Number(index)] : undefined;
  return isObject(block) ? block[held] : undefined;
}
