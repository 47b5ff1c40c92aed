"""Neural networks: layers as immutable modules, and functions."""

from typing import TYPE_CHECKING as _TYPE_CHECKING

from taglessad.nn import functional as functional
from taglessad.nn import init as init
from taglessad.nn.activations import ELU as ELU
from taglessad.nn.activations import GELU as GELU
from taglessad.nn.activations import LeakyReLU as LeakyReLU
from taglessad.nn.activations import LogSoftmax as LogSoftmax
from taglessad.nn.activations import ReLU as ReLU
from taglessad.nn.activations import Sigmoid as Sigmoid
from taglessad.nn.activations import SiLU as SiLU
from taglessad.nn.activations import Softmax as Softmax
from taglessad.nn.activations import Softplus as Softplus
from taglessad.nn.activations import Tanh as Tanh
from taglessad.nn.attention import MultiHeadAttention as MultiHeadAttention
from taglessad.nn.convolutional import Conv1d as Conv1d
from taglessad.nn.convolutional import Conv2d as Conv2d
from taglessad.nn.convolutional import ConvTranspose1d as ConvTranspose1d
from taglessad.nn.convolutional import ConvTranspose2d as ConvTranspose2d
from taglessad.nn.dropout import Dropout as Dropout
from taglessad.nn.linear import Embedding as Embedding
from taglessad.nn.linear import Linear as Linear
from taglessad.nn.module import Module as Module
from taglessad.nn.module import assign as assign
from taglessad.nn.module import field as field
from taglessad.nn.normalization import BatchNorm as BatchNorm
from taglessad.nn.normalization import BatchStatistics as BatchStatistics
from taglessad.nn.normalization import GroupNorm as GroupNorm
from taglessad.nn.normalization import LayerNorm as LayerNorm
from taglessad.nn.normalization import RMSNorm as RMSNorm
from taglessad.nn.pooling_layers import AdaptiveAvgPool1d as AdaptiveAvgPool1d
from taglessad.nn.pooling_layers import AdaptiveAvgPool2d as AdaptiveAvgPool2d
from taglessad.nn.pooling_layers import AvgPool1d as AvgPool1d
from taglessad.nn.pooling_layers import AvgPool2d as AvgPool2d
from taglessad.nn.pooling_layers import MaxPool1d as MaxPool1d
from taglessad.nn.pooling_layers import MaxPool2d as MaxPool2d
from taglessad.nn.recurrent import GRU as GRU
from taglessad.nn.recurrent import LSTM as LSTM
from taglessad.nn.recurrent import RNN as RNN
from taglessad.nn.recurrent import GRUCell as GRUCell
from taglessad.nn.recurrent import LSTMCell as LSTMCell
from taglessad.nn.recurrent import LSTMState as LSTMState
from taglessad.nn.recurrent import RNNCell as RNNCell
from taglessad.nn.sequential import Flatten as Flatten
from taglessad.nn.sequential import Sequential as Sequential
from taglessad.other_names import not_there as _not_there

if not _TYPE_CHECKING:  # to type checkers a name that is not there is an error

    def __getattr__(name: str) -> object:
        raise _not_there(__name__, name)
