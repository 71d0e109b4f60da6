import { dump } from 'js-yaml';
import { useMemo } from 'react';
import type { JsonObject } from '../../model/document';
import { CodeBlock } from '../../ui';
import styles from './yaml-view.module.css';

/** The document as YAML, which can be pasted into the code and the canvas of any workflow. */
export default function YamlView({ document }: { readonly document: JsonObject }) {
  const text = useMemo(() => dump(document, { noRefs: true, lineWidth: 120 }), [document]);
  return (
    <div className={styles.yaml}>
      <p className="cell-muted">To read and to copy. Edit the JSON, or paste YAML there in place of it.</p>
      <CodeBlock text={text} label="YAML of the workflow" />
    </div>
  );
}
