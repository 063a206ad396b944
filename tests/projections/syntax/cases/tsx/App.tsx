import { useState } from 'react';

type Props = { title: string };

export const App = ({ title }: Props) => {
  const [count, setCount] = useState(0);

  return (
    <button className="big  one" onClick={() => setCount(count + 1)}>
      {title} was clicked   {count} times
    </button>
  );
};

export default function Page(props: Props) {
  return <App {...props} />;
}
