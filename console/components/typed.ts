/** The text of a field that starts with a value from the address, and is replaced when the address changes. */
import { useEffect, useRef, useState } from 'preact/hooks';

export function useTyped(value: string): [typed: string, type: (text: string) => void] {
  const [typed, setTyped] = useState(value);
  const before = useRef(value);
  useEffect(() => {
    // Not on the first run, because someone may have begun to type.
    if (before.current === value) return;
    before.current = value;
    setTyped(value);
  }, [value]);
  return [typed, setTyped];
}
