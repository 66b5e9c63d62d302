/** What is typed into a field that begins with a value of the address, and takes a new one when the address changes. */
import { useEffect, useRef, useState } from 'preact/hooks';

export function useTyped(value: string): [typed: string, type: (text: string) => void] {
  const [typed, setTyped] = useState(value);
  const before = useRef(value);
  useEffect(() => {
    // Not at first: somebody may have begun to type.
    if (before.current === value) return;
    before.current = value;
    setTyped(value);
  }, [value]);
  return [typed, setTyped];
}
