-- The states of orders, the newest of an order first. Order numbers count up, and all that is written is about the
-- newest of them; read backwards, their last digit leads, and ten places of the table are written to by turns.
CREATE TABLE order_state_by_order (
    order_id TEXT, ts TIMESTAMP(3), state TEXT NOT NULL, customer INTEGER NOT NULL, warehouse TEXT NOT NULL,
    PRIMARY KEY (reverse(order_id), ts DESC)
);

COPY order_state_by_order FROM 'data/order_state.parquet' (FORMAT parquet);
