import { TEMPLATES } from '../../model/templates';
import { Button } from '../../ui';
import { GenerateIcon, WorkflowIcon } from '../../ui/icon';
import { useEditor } from './editor-context';
import styles from './editor.module.css';

/** Other ways to begin, below the empty canvas. */
export function FirstSteps() {
  const { dispatch, openPanel } = useEditor();
  return (
    <div className={styles.first}>
      <p className="cell-muted">Add the first step, paste a workflow as JSON or YAML, or begin with one of these:</p>
      <div className={styles.chips}>
        <Button edits size="small" icon={GenerateIcon} onClick={() => openPanel('generate')}>
          Describe it
        </Button>
        {TEMPLATES.map(({ name, dsl }) => (
          <Button
            key={name}
            size="small"
            icon={WorkflowIcon}
            onClick={() => dispatch({ kind: 'replace', document: { ...dsl, name } })}
          >
            {name}
          </Button>
        ))}
      </div>
    </div>
  );
}
