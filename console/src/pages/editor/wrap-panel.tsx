import type { BlockType } from '../../model/document';
import { SidePanel } from '../../ui';
import styles from './editor.module.css';
import { TypeIcon } from '../../ui/canvas/type-icon';

const BLOCKS: readonly { readonly type: BlockType; readonly title: string; readonly text: string }[] = [
  { type: 'branch', title: 'Branch', text: 'Runs them only when a condition holds.' },
  { type: 'foreach', title: 'For each', text: 'Runs them for every item of a list.' },
  { type: 'try', title: 'Try', text: 'Handles their failure, and cleans up.' },
  { type: 'parallel', title: 'Parallel', text: 'Runs them beside other steps.' },
  { type: 'while', title: 'While', text: 'Repeats them while a condition holds.' },
];

interface WrapPanelProps {
  readonly onPick: (type: BlockType) => void;
  readonly onClose: () => void;
}

/** The blocks that the selected steps can be put into. */
export function WrapPanel({ onPick, onClose }: WrapPanelProps) {
  return (
    <SidePanel title="Wrap the selected steps" onClose={onClose}>
      <div className={styles.types}>
        {BLOCKS.map(({ type, title, text }, index) => {
          return (
            <button
              key={type}
              type="button"
              className={styles.type}
              autoFocus={index === 0}
              onClick={() => onPick(type)}
            >
              <TypeIcon type={type} />
              <span>
                <span className={styles.typeTitle}>{title}</span>
                <span className={styles.typeText}>{text}</span>
              </span>
            </button>
          );
        })}
      </div>
    </SidePanel>
  );
}
